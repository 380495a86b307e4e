/** One query key: an event on photos reloads all of them. */
export const photosKey = (userId: string) => ['recuerdos', userId] as const
