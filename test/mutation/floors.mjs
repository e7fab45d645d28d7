/** The least score of rooms in percent; one without an entry is reported and nothing more. */
export const floors = {};
