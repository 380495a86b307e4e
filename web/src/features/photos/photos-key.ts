/** An event on photos reads all of them again. */
export const photosKey = (userId: string) => ['recuerdos', userId] as const
