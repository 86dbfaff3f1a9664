import { createHmac, timingSafeEqual } from 'node:crypto'
import { BoundedMap } from '../../../core/bounded-map.ts'
import { type Clock, HOUR_MS } from '../../../core/clock.ts'

/** An address holds to the end of the half day after the next one: for 24 to 36 hours. */
const HALF_DAY_HOURS = 12
const HALF_DAYS = 3
/** 128 bits of a signature. */
const BYTES = 16
/** Addresses that are remembered, of about 150 bytes each. */
const KNOWN_MAX = 20_000

/** The folder of the pictures of searches. */
const SEARCHES = 'searches/'

export type ThumbnailAddresses = ReturnType<typeof createThumbnailAddresses>

/**
 * Signs the addresses of thumbnails, and checks them. An address stays the same for half a day, so that browsers keep the picture; it
 * is signed once in that time.
 *
 * @param key 32 bytes that sign nothing else.
 */
export function createThumbnailAddresses(key: Buffer, { now }: Pick<Clock, 'now'>) {
  const known = new BoundedMap<number, string>(KNOWN_MAX)
  let knownUntil = 0

  const sign = (hash: Buffer, until: number): Buffer =>
    createHmac('sha256', key).update(hash).update(String(until)).digest().subarray(0, BYTES)
  /** The hour at which addresses of this half day end. */
  const findEnd = () => (Math.floor(now() / HOUR_MS / HALF_DAY_HOURS) + HALF_DAYS) * HALF_DAY_HOURS

  function build(hash: Buffer, until: number, folder = ''): string {
    return `/thumbnails/${folder}${hash.toString('hex')}.webp?until=${until}&sig=${sign(hash, until).toString('hex')}`
  }

  return {
    /**
     * The address of a thumbnail.
     *
     * @param pictureId a picture that has it: its content never changes.
     * @param findHash of that picture; undefined if it is gone.
     */
    of(pictureId: number, findHash: () => Buffer | undefined): string | null {
      const until = findEnd()
      if (until !== knownUntil) {
        known.clear()
        knownUntil = until
      }
      const found = known.get(pictureId)
      if (found !== undefined) return found
      const hash = findHash()
      if (!hash) return null
      const address = build(hash, until)
      known.set(pictureId, address)
      return address
    },

    /** The address of the picture of a search, below a folder of its own. */
    ofSearch: (searchId: string): string =>
      build(Buffer.from(searchId.replaceAll('-', ''), 'hex'), findEnd(), SEARCHES),

    /**
     * Checks an address.
     *
     * @returns the hash and the seconds that the address still holds; undefined for one that was altered or has ended.
     */
    check(
      name: string,
      query: { until?: string; sig?: string },
    ): { hash: Buffer; seconds: number } | undefined {
      const hex = /^([0-9a-f]{32})\.webp$/.exec(name)?.[1]
      const { until: hour = '', sig = '' } = query
      if (hex === undefined || !/^[1-9]\d{0,8}$/.test(hour) || !/^[0-9a-f]{32}$/.test(sig)) return undefined
      const hash = Buffer.from(hex, 'hex')
      const until = Number(hour)
      if (!timingSafeEqual(sign(hash, until), Buffer.from(sig, 'hex'))) return undefined
      const seconds = Math.ceil((until * HOUR_MS - now()) / 1_000)
      return seconds > 0 ? { hash, seconds } : undefined
    },
  }
}
