import { writeSync } from 'node:fs'
import pino, { type Logger } from 'pino'

const STDERR = 2

/** JSON lines on stderr. A line that cannot be written is dropped: often the log lies on the disk that is full. */
export const createLog = (level: string): Logger =>
  pino(
    { level, base: null },
    {
      write(line: string) {
        try {
          writeSync(STDERR, line)
        } catch {
          // There is no other place to tell it.
        }
      },
    },
  )
