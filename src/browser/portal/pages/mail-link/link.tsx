import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

/** Reads the token behind the #. Older mails have it in the query; it moves, so that loading the page again does not send it. */
function readToken(): string {
  const queried = new URLSearchParams(location.search).get('token')
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? queried ?? ''
  if (location.search !== '') history.replaceState(null, '', location.pathname + hashOf(token))
  return token
}

/** The part of an address that holds a token. */
export const hashOf = (token: string): string => (token === '' ? '' : `#token=${encodeURIComponent(token)}`)

/** The link is used up, so the history forgets its token. */
export const forgetToken = (): void => history.replaceState(null, '', location.pathname)

/** Opens the link of a mail. @returns its token; empty for a link that is incomplete. */
export function useToken(): string {
  const token = useRef<string | null>(null)
  token.current ??= readToken()
  useEffect(() => {
    // Another link to the same page that is opened in this tab changes only what follows the #.
    const reload = () => location.reload()
    window.addEventListener('hashchange', reload)
    return () => window.removeEventListener('hashchange', reload)
  }, [])
  return token.current
}

interface SaidProps {
  heading: string
  /** The way on; by default the page for signing in. */
  children?: ComponentChildren
  text: string
}

/** What a link leads to when there is nothing to fill in, with a way on. */
export function Said({ heading, text, children = <SignInLink /> }: SaidProps) {
  const title = useRef<HTMLHeadingElement>(null)
  useTitle(heading)
  useEffect(() => title.current?.focus(), [])
  return (
    <>
      <h1 ref={title} tabIndex={-1}>
        {heading}
      </h1>
      <p>{text}</p>
      <p class="actions">{children}</p>
    </>
  )
}

export function useTitle(heading: string): void {
  useEffect(() => {
    document.title = `${heading} · ${shell.brand}`
  }, [heading])
}

const SignInLink = () => (
  <a class="primary" href="/login">
    {shell.signIn}
  </a>
)

export const Incomplete = () => <Said heading={t.incomplete} text={t.incompleteHint} />
