/** All comments share one key: an event on a comment reloads all comments, and none of the list. */
export const commentsKey = (userId: string) => ['conversacion', userId] as const
