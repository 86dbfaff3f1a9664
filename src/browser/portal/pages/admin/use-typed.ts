import { useEffect, useState } from 'preact/hooks'

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 250

/** What stands in a field of search, and what of it is asked for. */
export function useTyped(): { typed: string; setTyped(text: string): void; asked: string } {
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return { typed, setTyped, asked }
}
