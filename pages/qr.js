/** Codes to scan, as SVG. */
export { encodeQR } from "qr";
