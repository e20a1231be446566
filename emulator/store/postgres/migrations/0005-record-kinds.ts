/** Records of kinds that versions before do not know, and would stumble over: the account. */
export const RECORD_KINDS = "";
