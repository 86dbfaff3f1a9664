import { cloud } from './noise.ts'
import { type Backdrop, SIDE } from './picture.ts'

/** Boards of a table below the horizon, before a wall of `top` to `bottom`. */
export function woodenTable(top: string, bottom: string, boards: readonly string[]): Backdrop {
  const decoration = (horizon: number): string => {
    const level = Math.min(horizon, SIDE * 0.62)
    const parts: string[] = []
    const count = 9
    const edge = (i: number, y: number): number =>
      SIDE / 2 + (i - count / 2) * (90 + ((y - level) / (SIDE - level)) * 75)
    for (let i = 0; i < count; i++) {
      const colour = boards[i % boards.length] ?? '#a9744a'
      parts.push(
        `<path d="M${edge(i, level)} ${level}H${edge(i + 1, level)}L${edge(i + 1, SIDE)} ${SIDE}H${edge(i, SIDE)}Z" fill="${colour}" stroke="#4a2d18" stroke-opacity=".55" stroke-width="2"/>`,
      )
      for (let k = 0; k < 12; k++) {
        const t = (k + cloud(i * 3.1, k * 1.7)) / 12
        const [x0, x1] = [edge(i + t, level), edge(i + t, SIDE)]
        const bend = (cloud(i * 5.3, k * 2.9) - 0.5) * 30
        parts.push(
          `<path d="M${x0.toFixed(1)} ${level}Q${((x0 + x1) / 2 + bend).toFixed(1)} ${(level + SIDE) / 2} ${x1.toFixed(1)} ${SIDE}" fill="none" stroke="#3d2412" stroke-opacity="${(0.06 + 0.16 * cloud(k, i * 7)).toFixed(2)}" stroke-width="${(1 + 2.4 * cloud(k * 3, i)).toFixed(1)}"/>`,
        )
      }
    }
    return `<g>${parts.join('')}</g><rect y="${level}" width="${SIDE}" height="${SIDE - level}" fill="url(#far)"/>
<defs><linearGradient id="far" x2="0" y2="1"><stop stop-color="#20140c" stop-opacity=".35"/><stop offset=".5" stop-opacity="0"/></linearGradient></defs>`
  }
  return { top, bottom, decoration }
}

/** A painted wall that meets a floor, with a skirting board. */
export const room = (wall: string, wallLow: string, floor: string): Backdrop => ({
  top: wall,
  bottom: wallLow,
  decoration: (horizon) => {
    const level = Math.min(horizon + 60, SIDE * 0.72)
    return `<rect y="${level}" width="${SIDE}" height="${SIDE - level}" fill="${floor}"/><rect y="${level - 26}" width="${SIDE}" height="26" fill="#f4f2ee"/><rect y="${level - 2}" width="${SIDE}" height="3" fill="#000" fill-opacity=".25"/>`
  },
})

/** A plain coloured paper. */
export const paper = (top: string, bottom: string): Backdrop => ({ top, bottom })
