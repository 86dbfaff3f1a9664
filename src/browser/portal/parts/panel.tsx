import { Component, type ComponentChildren } from 'preact'
import { type CallError, toCallError } from '../api/errors.ts'
import { t } from '../texts/texts.ts'

/** Shows why a part of a page is missing, in its place: code, the API's words, and what finds the call in the log. */
export function Failure({ error, onRetry }: { error: CallError; onRetry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>
        <strong>
          {error.status === 429 && error.retryAfter ? t.retryAfter(error.retryAfter) : t.failed}
        </strong>
      </p>
      <p lang="en">{error.message}</p>
      <p class="muted">
        <code>{error.code}</code>
        {error.requestId && (
          <>
            {' · '}
            {t.request} <code>{error.requestId}</code>
          </>
        )}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  )
}

/** Keeps a fault of one part from taking the page down. */
export class Panel extends Component<{ children: ComponentChildren; class?: string }, { error?: CallError }> {
  static override getDerivedStateFromError(thrown: unknown) {
    return { error: toCallError(thrown) }
  }

  override render() {
    const { error } = this.state
    if (!error) return <section class={this.props.class}>{this.props.children}</section>
    return <Failure error={error} onRetry={() => this.setState({})} />
  }
}
