import type { PictureFacts } from '../../../platform/embedder/embedder.ts'
import type { KeptPicture } from './kept-picture-queries.ts'
import type { NewPicture, PictureRow } from './queries.ts'

/** The address that a picture is to be saved with. What it needs is written once every picture of the product is good. */
export type ReadyAddress =
  /** Saved as it stands. */
  | { kind: 'final'; url: string }
  /** The path of a picture that the store keeps, whose time starts again. */
  | { kind: 'retained'; path: string }
  /** Bytes that the store is to keep. */
  | { kind: 'uploaded'; bytes: Uint8Array }
  /** Another store's picture, which the store is to keep, too. */
  | { kind: 'copied'; kept: KeptPicture }

/** The content of a picture: one that the product already has, or a new one with its vector. */
export type ReadyContent =
  | { own: PictureRow; second?: Float32Array | undefined }
  | {
      added: Omit<NewPicture, 'imageUrl'>
      vector: Float32Array
      /** Of the model that the store is moving to. */
      second?: Float32Array | undefined
      thumbnail?: Uint8Array | undefined
    }

/** A picture that only has to be written. It holds no bytes of a download: those are gone once they are embedded. */
export interface ReadyPicture {
  address: ReadyAddress
  content: ReadyContent
}

/** A content that is known already. */
export interface KnownPicture {
  facts: PictureFacts
  vector: Float32Array
  second?: Float32Array | undefined
  thumbnail?: Uint8Array | undefined
}

/** The facts alone: the row of a picture has more. */
export const toFacts = ({ width, height, contentType, phash, palette }: PictureFacts): PictureFacts => ({
  width,
  height,
  contentType,
  phash,
  palette,
})
