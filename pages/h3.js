/** Where the cells of H3 are. */
export { cellToLatLng } from "h3-js";
