/** What must not be used, with a reason that a person can read. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {string} code the reason in one word, for programs
   */
  constructor(message, code) {
    super(message);
    this.name = "Refused";
    this.code = code;
  }
}
