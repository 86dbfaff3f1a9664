/** A path without slashes at its end, to which another path is added. A loop, because an expression is quadratic in a long run of them. */
export function cutEndSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}
