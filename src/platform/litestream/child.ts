/**
 * Starts Litestream under a shell that ends it when this process ends, however that happens: a left-over copier would meet its
 * successor on the same files. The shell reads a pipe that only this process holds; its end means "send what is left and stop".
 */
const GUARD = `exec 3<&0
"$0" "$@" </dev/null 3<&- &
child=$!
{ read -r word <&3; kill -TERM "$child" 2>/dev/null; } &
exec 3<&-
wait "$child"
code=$?
exit "$code"`

export interface GuardedChild {
  exited: Promise<number>
  stderr: ReadableStream<Uint8Array>
  /** Asks it to send what is left and to stop. */
  finish(): void
  /** Ends it at once. */
  kill(): void
}

export function startGuarded(command: readonly string[], env: Record<string, string>): GuardedChild {
  const child = Bun.spawn(['/bin/sh', '-c', GUARD, ...command], {
    env,
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'pipe',
    // A group of its own: so a signal reaches the shell and what it has started, and a Ctrl+C in a terminal neither.
    detached: true,
  })
  return {
    exited: child.exited,
    stderr: child.stderr,
    finish: () => void child.stdin.end(),
    kill() {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    },
  }
}

/** Longest line that is kept of a child's words. */
const LINE_CHARS_MAX = 4_000

/** Reads what a child says, line by line. Never throws: it ends with the child. */
export async function* readWords(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = (lines.pop() ?? '').slice(-LINE_CHARS_MAX)
    for (const line of lines) if (line !== '') yield line.slice(0, LINE_CHARS_MAX)
  }
}
