import { useEffect, useRef } from 'preact/hooks'
import type { SetupState } from '#generated/api.ts'
import { CallError } from '../../api/errors.ts'
import { send } from '../../api/transport.ts'
import { Copied } from '../../parts/copy.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t as shell } from '../../texts/texts.ts'
import { AccountForm } from './account-form.tsx'
import { readSlug } from './read-slug.ts'
import { t } from './texts/texts.ts'

/** What can be done with the link. */
type Link = 'incomplete' | 'ended' | 'owned' | 'good'

/** Finds out what the link is good for before anybody fills in the form. @throws CallError */
async function checkLink(code: string): Promise<Link> {
  const { has_owner } = (await send('GET', '/setup/state')) as SetupState
  if (has_owner) return 'owned'
  if (code === '') return 'incomplete'
  try {
    await readSlug('my-shop', code)
    return 'good'
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.status === 401) return 'ended'
    throw thrown
  }
}

export function Page() {
  const code = useRef(location.hash.slice(1)).current
  const [link, retry] = useLoad(() => checkLink(code), [])
  useEffect(() => {
    document.title = `${t.title} · Lookalike`
    // Another link that is opened in this tab changes only what follows the #.
    const reload = () => location.reload()
    window.addEventListener('hashchange', reload)
    return () => window.removeEventListener('hashchange', reload)
  }, [])
  if (link.state === 'loading') return <p class="waiting">{shell.loading}</p>
  if (link.state === 'failed') return <Failure error={link.error} onRetry={retry} />
  if (link.value === 'good') return <AccountForm code={code} onUnusable={retry} />
  if (link.value === 'owned')
    return (
      <>
        <h1>{t.owned}</h1>
        <p>{t.ownedHint}</p>
        <p>
          <a class="primary" href="/login">
            {shell.signIn}
          </a>
        </p>
      </>
    )
  return (
    <>
      <h1>{link.value === 'ended' ? t.ended : t.incomplete}</h1>
      <p>{link.value === 'ended' ? t.endedHint : t.incompleteHint}</p>
      <Copied text="lookalike setup-link" />
      <p class="muted">{t.endedMore}</p>
      <p class="actions">
        <button type="button" onClick={retry}>
          {shell.retry}
        </button>
        <a href="/docs/guide">{shell.guide}</a>
      </p>
    </>
  )
}
