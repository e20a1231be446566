/** The id of the user that everything belongs to: the service has one (ours). */
export const USER_ID = "user_local";
