/** Downloads pictures from addresses that customers name. */
export interface PictureFetcher {
  /**
   * Downloads one picture over http or https.
   *
   * @param url an absolute address; anything but a public one is refused.
   * @returns the bytes, at most `LIMITS.pictureBytesMax`, beginning like one of the formats we read.
   * @throws ApiError `url_not_allowed` for an address that is malformed or of another scheme or port, and
   *   `image_download_failed` with `details.reason` for everything that goes wrong on the way.
   */
  fetch(url: string): Promise<Uint8Array>
}
