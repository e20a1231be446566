/** Records of kinds that versions before do not know, and would stumble over: the account, releases. */
export const RECORD_KINDS = "";
