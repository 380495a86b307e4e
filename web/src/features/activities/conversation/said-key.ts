/** Under one key: an event on what is said reads all of it again, and nothing of the list. */
export const saidKey = (userId: string) => ['conversacion', userId] as const
