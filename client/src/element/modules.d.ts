// What bundle_element.mjs finds: the modules of the answer page, and what is shown in an element, made anew for each.

declare module "discreet-pages/*";

declare module "discreet-face" {
  const begin: () => typeof import("./face.js");
  export default begin;
}

declare module "discreet-style" {
  const text: string;
  export default text;
}
