/**
 * A client that sends `GET /health` again and again from an otherwise idle process, so every other client waits as long
 * as it does. `startProber` starts it. When its input ends, it prints a line of JSON and ends.
 */
const address = String(process.argv[2])
const PAUSE_MS = 5

let asked = 0
let failed = 0
let isOver = false
const waits: number[] = []
let longest = { begin: 0, end: 0 }

void (async () => {
  for await (const _ of process.stdin) {
    // The input carries no data; only its end counts.
  }
  isOver = true
})()

while (!isOver) {
  const begin = performance.now()
  const isGood = await fetch(`${address}/health`).then(
    async (answer) => answer.ok && (await answer.text()) !== '',
    () => false,
  )
  const end = performance.now()
  waits.push(end - begin)
  if (end - begin > longest.end - longest.begin) longest = { begin, end }
  asked++
  if (!isGood) failed++
  await Bun.sleep(PAUSE_MS)
}
waits.sort((a, b) => a - b)
const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0
const { timeOrigin } = performance
const longestAt = { begin: timeOrigin + longest.begin, end: timeOrigin + longest.end }
console.log(JSON.stringify({ asked, failed, p50: at(0.5), p99: at(0.99), longest: at(1), longestAt }))
