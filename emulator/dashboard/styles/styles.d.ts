/** Style sheets are imported so that the build includes them. */
declare module "*.css";
