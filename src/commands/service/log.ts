import { writeSync } from 'node:fs'
import pino, { type Logger } from 'pino'
import { formatLogLine } from './log-line.ts'

const STDERR = 2

/** A write of this size to a pipe is never split (POSIX `PIPE_BUF` on Linux), so no line is ever cut. */
const WRITE_BYTES_MAX = 4_096

const METADATA = Symbol.for('pino.metadata')

/** Pino's number of the level. */
const INFO = 30

/**
 * Creates a log on stderr: JSON lines, or lines for people where a terminal shows them. A line that cannot be written is
 * dropped: the log may be on the full disk.
 *
 * Lines up to `info` wait for the end of the turn and are written together, because a write of its own costs more than
 * the line. A line about a fault is written at once, with those that wait. Only a killed process loses the lines of its
 * last turn.
 */
export function createLog(
  level: string,
  write: (lines: string) => void = writeToStderr,
  isForPeople: boolean = process.stderr.isTTY,
): Logger {
  // False where NO_COLOR is set, or the terminal is a dumb one.
  const isColoured = isForPeople && process.stderr.hasColors?.()
  let waiting = ''
  let waitingBytes = 0
  let isBooked = false

  const flush = (): void => {
    isBooked = false
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    waitingBytes = 0
    write(lines)
  }
  process.on('exit', flush)

  const stream = {
    // Asks pino for the level of each line.
    [METADATA]: true,
    lastLevel: 0,
    write(json: string): void {
      const line = isForPeople ? formatLogLine(json, isColoured) : json
      const bytes = Buffer.byteLength(line)
      if (waitingBytes + bytes > WRITE_BYTES_MAX) flush()
      waiting += line
      waitingBytes += bytes
      if (stream.lastLevel > INFO) flush()
      else if (!isBooked) {
        isBooked = true
        setImmediate(flush)
      }
    },
  }
  return pino({ level, base: null }, stream)
}

function writeToStderr(lines: string): void {
  try {
    writeSync(STDERR, lines)
  } catch {
    // There is nowhere else to report it.
  }
}
