/** Jobs whose rejection tells too much. */
import { breaks } from "../kit/mutant.ts";

const wrong = "/work/wrong/";

/** The mutants of this chapter. */
export const work = [
  breaks("rejected-inputs-are-in-the-response", ["WORK-003"], (exchange) =>
    exchange.sent.path.startsWith(wrong)
      ? {
          ...exchange,
          body: exchange.body.replace(
            '"status":500',
            `"status":500,"input":"${exchange.sent.path.slice(wrong.length)}"`,
          ),
        }
      : exchange,
  ),
];
