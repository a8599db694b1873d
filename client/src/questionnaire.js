/** What is needed of several questions, and only then: it is loaded when a collection with them is opened. */

export { answering, askedOf, checkForm } from "./form.js";
export { promiseForForm, promiseOfForm } from "./form_promise.js";
