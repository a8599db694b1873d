/** The marks and scales of Observable Plot that the pages draw with. */
export { axisX, axisY, cell, dot, gridX, gridY, line, link, plot, rectX, ruleX, ruleY, text, tip, pointer, pointerX, pointerY, areaY, barX, geo } from "@observablehq/plot";
