import { useEffect, useRef, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../api/errors.ts'
import { FILE_BYTES_MAX, type Known, look, readColumns } from './calls.ts'
import { choose, type Mapping } from './mapping.ts'

/** Why a file cannot be shown. */
export type Trouble =
  | { kind: 'empty' | 'too_large' | 'spreadsheet' }
  /** The service keeps it no longer. */
  | { kind: 'expired' }
  | { kind: 'unreadable' | 'other'; error: CallError }

/** How far the look at a file is: the share that has been sent, from 0 to 1. */
export interface Busy {
  sent: number
}

const SPREADSHEET = /\.(xlsx?|xlsm|ods|numbers)$/i

/** Tells what needs no request. */
function judgeFile({ size, name }: File): Trouble | null {
  if (size === 0) return { kind: 'empty' }
  if (size > FILE_BYTES_MAX) return { kind: 'too_large' }
  return SPREADSHEET.test(name) ? { kind: 'spreadsheet' } : null
}

export function judgeFailure(error: CallError): Trouble {
  if (error.status === 404) return { kind: 'expired' }
  if (error.status === 413) return { kind: 'too_large' }
  return { kind: error.code === 'validation_error' ? 'unreadable' : 'other', error }
}

/** The file of the page and what the service says of it. A newer question takes the place of an older one. */
export function useImport() {
  const [file, setFile] = useState<File | null>(null)
  const [own, setOwn] = useState<Mapping>({})
  const [known, setKnown] = useState<Known | null>(null)
  const [busy, setBusy] = useState<Busy | null>(null)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])

  async function ask(chosen: File, mapping: Mapping, uploadId: string | null) {
    stop.current.abort()
    stop.current = new AbortController()
    const { signal } = stop.current
    setTrouble(null)
    setBusy({ sent: uploadId === null ? 0 : 1 })
    try {
      const onProgress = (sent: number) => signal.aborted || setBusy({ sent })
      const found = await look({ file: chosen, own: mapping, uploadId }, { signal, onProgress })
      if (!signal.aborted) setKnown(found)
    } catch (thrown) {
      if (signal.aborted) return
      const error = toCallError(thrown)
      const columns = readColumns(error)
      if (columns) setKnown(columns)
      else setTrouble(judgeFailure(error))
    } finally {
      if (!signal.aborted) setBusy(null)
    }
  }

  function change(mapping: Mapping) {
    setOwn(mapping)
    if (file) ask(file, mapping, known?.uploadId ?? null)
  }

  return {
    ...{ file, own, known, busy, trouble, setTrouble },
    /** Looks at a file. @param mapping that it begins with. */
    begin(chosen: File, mapping: Mapping) {
      stop.current.abort()
      setFile(chosen)
      setOwn(mapping)
      setKnown(null)
      setBusy(null)
      const wrong = judgeFile(chosen)
      setTrouble(wrong)
      if (!wrong) ask(chosen, mapping, null)
    },
    /** Reads the same file another way. */
    change,
    /** Names the column of one field. */
    choose(field: string, column: string) {
      change(choose(own, field, column))
    },
    /** Sends the file once more, and reads it as before. */
    again() {
      if (file) ask(file, own, trouble?.kind === 'expired' ? null : (known?.uploadId ?? null))
    },
    forget() {
      stop.current.abort()
      setFile(null)
      setOwn({})
      setKnown(null)
      setBusy(null)
      setTrouble(null)
    },
  }
}

export type Import = ReturnType<typeof useImport>
