import { useEffect, useState } from 'preact/hooks'
import type { UserToken } from '#generated/api.ts'
import { call, setActiveStore } from '../../api/client.ts'
import { readToken } from '../../api/session.ts'
import { go, readRoute } from '../../shell/routes.ts'
import { SignInForm } from '../../shell/sign-in-form.tsx'
import { t } from './texts/texts.ts'

/**
 * Where somebody was when their sign-in ended. It stands behind the #, and leads to our own pages only. The browser reads it, as
 * it would read the link: to a browser, an address such as `/\shop.example/portal` is another site's.
 */
function readWayBack(): string | null {
  const way = location.hash === '' ? null : URL.parse(location.hash.slice(1), location.origin)
  const isOwn = way?.origin === location.origin && readRoute(way.pathname).kind !== 'nothing'
  return isOwn ? way.href : null
}

/** Finds the way on for a sign-in that the browser still has. @returns null without one. */
async function findWayOn(): Promise<string | null> {
  if ((await readToken()) === null) return null
  setActiveStore(null)
  const { memberships, user } = await call('GET /v1/me')
  if (user?.is_super_admin || memberships.length !== 1) return '/portal/select-store'
  return `/${memberships[0]?.slug}/portal`
}

export function Page() {
  const [state, setState] = useState<'looking' | 'asking' | UserToken>('looking')
  useEffect(() => {
    document.title = `${t.heading} · Lookalike`
    findWayOn().then(
      (way) => (way === null ? setState('asking') : go(readWayBack() ?? way)),
      // Without an answer the form is still the best to show: it says what is wrong when it is sent.
      () => setState('asking'),
    )
  }, [])
  if (state === 'looking') return null
  if (state !== 'asking')
    return (
      <>
        <h1>{t.heading}</h1>
        <p role="status">{t.codesLeft(state.recovery_codes_left ?? 0)}</p>
        <p>
          <a class="primary" href={readWayBack() ?? state.redirect}>
            {t.goOn}
          </a>
        </p>
      </>
    )
  return (
    <>
      <h1>{t.heading}</h1>
      <SignInForm
        onDone={(answer) =>
          answer.recovery_codes_left === undefined ? go(readWayBack() ?? answer.redirect) : setState(answer)
        }
      />
      <p class="muted">{t.hint}</p>
      <p class="foot">
        <a href="/register">{t.newHere}</a> <a href="/docs">{t.about}</a> <a href="/docs/guide">{t.guide}</a>
      </p>
    </>
  )
}
