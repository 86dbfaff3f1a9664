/** The first picture of what was pasted or dropped. */
export const takePicture = (data: DataTransfer | null): File | null =>
  [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/')) ?? null
