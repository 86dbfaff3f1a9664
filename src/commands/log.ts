import { writeSync } from 'node:fs'
import pino, { type Logger } from 'pino'

const STDERR = 2

/** Creates a log of JSON lines on stderr. A line that cannot be written is dropped: the log may be on the full disk. */
export const createLog = (level: string): Logger =>
  pino(
    { level, base: null },
    {
      write(line: string) {
        try {
          writeSync(STDERR, line)
        } catch {
          // There is nowhere else to report it.
        }
      },
    },
  )
