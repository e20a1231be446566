/** Id of the only user, who owns everything (ours). */
export const USER_ID = "user_local";
