/**
 * Counts seconds down by the clock, so that a page that slept shows the right number.
 *
 * @param tell receives the seconds that are left whenever they change, and of 0 at the end.
 * @returns a function that ends it.
 */
export function countDown(seconds: number, tell: (left: number) => void): () => void {
  const end = Date.now() + seconds * 1000
  let timer: ReturnType<typeof setTimeout> | undefined
  let told: number | undefined
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    if (left !== told) tell(left)
    told = left
    if (left > 0) timer = setTimeout(tick, 250)
  }
  tick()
  return () => clearTimeout(timer)
}
