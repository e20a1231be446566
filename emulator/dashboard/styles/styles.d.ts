/** Style sheets are imported for what the build makes of them. */
declare module "*.css";
