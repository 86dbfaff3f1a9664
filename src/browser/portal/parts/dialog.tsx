import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A dialog over the page, as long as it is drawn. @param onClose missing for one that must be answered. */
export function Dialog({
  label,
  children,
  onClose,
  class: name,
}: {
  label: string
  children: ComponentChildren
  onClose?: () => void
  class?: string
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Only what is outside the content is the dialog itself. Escape does the same by keyboard.
    const closeOutside = ({ target }: Event) => target === shown && close.current?.()
    shown?.addEventListener('click', closeOutside)
    return () => shown?.removeEventListener('click', closeOutside)
  }, [])
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <div class="inside">{children}</div>
    </dialog>
  )
}
