import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'

/** A place in the log of a database: which log, by its salts, and the byte behind its last commit. */
export interface LogEnd {
  salts: string
  bytes: number
}

/** A place in the copies: a run of logs, the number of a log in it, and how much of that log lies in the bucket. */
export interface SentEnd {
  generation: string
  index: number
  bytes: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALTS = { at: 16, bytes: 8 }

/** Offsets in the header of SQLite's shared memory file (sqlite.org/walformat.html, 2.3). There are two copies of it. */
const SHARED = { bytes: 48, pageSizeAt: 14, framesAt: 16, saltsAt: 32 }

/**
 * Watches where the log of a database ends, as every reader of the database knows it. Only this process writes, so whatever it has
 * committed lies before that.
 *
 * The file is opened once and stays open: closing it would drop all locks that this process has on it (fcntl(2)), with SQLite's among
 * them, and the next program that opens the database would take it for one that nobody uses.
 *
 * @param database which this process has opened.
 */
export function watchLogEnd(database: string) {
  let file: number | undefined
  const bytes = Buffer.alloc(2 * SHARED.bytes)

  function open(): number | undefined {
    try {
      return openSync(`${database}-shm`, 'r')
    } catch {
      return undefined
    }
  }

  return {
    /** @returns undefined while there is no log, or while another program is at it. */
    read(): LogEnd | undefined {
      file ??= open()
      if (file === undefined || readSync(file, bytes, 0, bytes.length, 0) < bytes.length) return undefined
      const header = bytes.subarray(0, SHARED.bytes)
      return header.equals(bytes.subarray(SHARED.bytes)) ? parseHeader(header) : undefined
    },
    /** To be called when this process has closed the database. */
    close(): void {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** A number of two bytes cannot say the largest size of a page. */
const LARGEST_PAGE = { bytes: 65_536, stored: 1 }

function parseHeader(header: Buffer): LogEnd {
  const isLittle = endianness() === 'LE'
  const stored = isLittle ? header.readUInt16LE(SHARED.pageSizeAt) : header.readUInt16BE(SHARED.pageSizeAt)
  const frames = isLittle ? header.readUInt32LE(SHARED.framesAt) : header.readUInt32BE(SHARED.framesAt)
  const pageBytes = stored === LARGEST_PAGE.stored ? LARGEST_PAGE.bytes : stored
  return {
    salts: header.subarray(SHARED.saltsAt, SHARED.saltsAt + SALTS.bytes).toString('hex'),
    bytes: frames === 0 ? 0 : HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes),
  }
}

/**
 * Finds the number that Litestream has given to a log.
 *
 * @param work its folder, which holds a copy of each log that it has not sent as a whole.
 * @returns undefined if it has not seen the log yet.
 */
export function findLogNumber(work: string, salts: string): Omit<SentEnd, 'bytes'> | undefined {
  const generation = readText(join(work, 'generation'))?.trim()
  if (!generation || !/^[0-9a-f]+$/.test(generation)) return undefined
  const folder = join(work, 'generations', generation, 'wal')
  for (const name of listNames(folder).sort().reverse()) {
    const [, digits] = /^([0-9a-f]{8})\.wal$/.exec(name) ?? []
    if (digits === undefined) continue
    const header = readStart(join(folder, name), HEADER_BYTES)
    if (header?.subarray(SALTS.at, SALTS.at + SALTS.bytes).toString('hex') === salts)
      return { generation, index: Number.parseInt(digits, 16) }
  }
  return undefined
}

/**
 * Reads a line of Litestream's log that says that a piece of a log lies in the bucket. It is written when the store has taken the
 * piece, and names where the piece begins and its size before it was packed.
 */
export function parseSentLine(line: LogLine): SentEnd | undefined {
  if (line.msg !== 'wal segment written') return undefined
  const [, generation = '', index = '', from] =
    /^([0-9a-f]+)\/([0-9a-f]{8}):(\d+)$/.exec(line.position ?? '') ?? []
  if (from === undefined || typeof line.sz !== 'number') return undefined
  return { generation, index: Number.parseInt(index, 16), bytes: Number(from) + line.sz }
}

/** A line of Litestream's log. */
export interface LogLine {
  level?: string
  msg?: string
  error?: string
  position?: string
  sz?: number
}

export function parseLogLine(text: string): LogLine {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? line : { msg: text }
  } catch {
    return { level: 'ERROR', msg: text }
  }
}

/** Whether everything before a place in a log lies in the bucket. */
export const isSent = (sent: SentEnd, log: Omit<SentEnd, 'bytes'>, end: LogEnd): boolean =>
  sent.generation === log.generation &&
  (sent.index > log.index || (sent.index === log.index && sent.bytes >= end.bytes))

function readStart(path: string, length: number): Buffer | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
