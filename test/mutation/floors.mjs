/**
 * The least score of rooms in percent, equivalents apart: what each came to when its survivors were last looked at. A room
 * without an entry is reported and nothing more.
 */
export const floors = {
  metrics: 100,
  routing: 100,
};
