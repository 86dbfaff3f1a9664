import { useState } from 'preact/hooks'

export interface PictureProps {
  /** Address of a thumbnail on this service. The pages load no pictures from elsewhere. */
  src: string | null | undefined
  /** What the picture is of; its first letter stands in for a missing picture. */
  name: string
  /** Decides the tint of the letter tile, so that things of one kind look alike. */
  kind?: string | undefined
}

const TINTS = 6

/** Spreads names over the tints. */
function pickTint(text: string): number {
  let sum = 0
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
  return sum % TINTS
}

/** A picture of a product on its light ground, or a letter where there is none. */
export function Picture({ src, name, kind }: PictureProps) {
  const [broken, setBroken] = useState<string | null>(null)
  if (!src || broken === src)
    return (
      <span class="picture letter" data-tint={pickTint(kind ?? name)} aria-hidden="true">
        {[...name.trim()][0]?.toUpperCase() ?? '?'}
      </span>
    )
  return (
    <span class="picture">
      <img src={src} alt="" loading="lazy" decoding="async" onError={() => setBroken(src)} />
    </span>
  )
}
