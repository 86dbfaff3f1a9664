import notices from '#generated/notices.txt.gz' with { type: 'file' }

/** Reads the licences and notices of everything that the executable contains, as text packed with gzip. */
export const readNotices = (): Promise<Uint8Array<ArrayBuffer>> => Bun.file(notices).bytes()
