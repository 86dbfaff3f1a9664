import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'

/** The button says "Copied" this long. */
const TOLD_MS = 2_000

/** Where the clipboard is refused or missing (pages without https), a selected field does the same. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  // An open dialog makes everything outside it inert: the field must be inside.
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

interface CopyProps {
  text: string
  /** What the button says, where "Copy" alone does not tell what. */
  label?: string
  class?: string
}

/** A button that copies a text and says so. */
export function Copy({ text, label = t.copy, class: name }: CopyProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), TOLD_MS)
    return () => clearTimeout(timer)
  }, [state])
  const told = { idle: label, copied: t.copied, refused: t.copyRefused }[state]
  return (
    <>
      <button
        type="button"
        class={name}
        onClick={async (event) => {
          const button = event.currentTarget
          setState((await copyText(text)) ? 'copied' : 'refused')
          button.focus()
        }}
      >
        {told}
      </button>
      {/* Beside the button: what stands in a live region gives a button no name. */}
      <span role="status" class="unseen">
        {state !== 'idle' && told}
      </span>
    </>
  )
}

/** A text that is meant to be taken along, shown in full, with its button: an address, a key, a line of code. */
export const Copied = ({ text, label }: Pick<CopyProps, 'text' | 'label'>) => (
  <div class="copied">
    <code>{text}</code>
    <Copy text={text} {...(label !== undefined && { label })} />
  </div>
)
