/** The region the store says it is in. Signatures of any region are accepted: clients differ in what they assume. */

export const REGION = "us-east-1";
