import type { ImportPreview } from '#generated/api.ts'
import { formatNumber } from '../../language.ts'
import { Panel } from '../../parts/panel.tsx'
import { ProductTile } from '../../parts/product-tile.tsx'
import { explain } from '../jobs/words.ts'
import type { Known } from './calls.ts'
import { Columns } from './columns.tsx'
import { describeFinding } from './describe-finding.ts'
import { keep } from './mapping.ts'
import { Nightly } from './nightly.tsx'
import { Run } from './run.tsx'
import { t } from './texts/texts.ts'
import type { Import } from './use-import.ts'

export interface FindingsProps {
  store: string
  can(permission: string): boolean
  known: Known
  file: Import
  chosen: File
}

/** What a file would become: its pictures first, then how it is read, what is lost, what changes. */
export function Findings(props: FindingsProps) {
  const { known, file } = props
  const { preview } = known
  const mapping = preview?.mapping ?? file.own
  const isBusy = file.busy !== null
  return (
    <div class={isBusy ? 'findings stale' : 'findings'} aria-busy={isBusy}>
      {preview && preview.products.length > 0 && (
        <Panel>
          <Pictures preview={preview} />
        </Panel>
      )}
      <Panel class="narrow">
        <h2>{t.columns}</h2>
        {known.problems.map(({ code, message }) => {
          const own = t.problems[code]
          return (
            <p key={message} class="wrong" role="alert" lang={own ? undefined : 'en'}>
              {own ?? message}
            </p>
          )
        })}
        <Columns known={known} mapping={mapping} onChange={(field, column) => file.choose(field, column)} />
      </Panel>
      {preview && preview.losses.length > 0 && (
        <Panel class="narrow">
          <h2>{t.losses}</h2>
          <Losses
            losses={preview.losses}
            onKeep={(columns) =>
              file.change(columns.reduce((own, column) => keep(own, mapping, column), file.own))
            }
          />
        </Panel>
      )}
      {preview && (
        <Panel class="narrow">
          <Notes preview={preview} />
        </Panel>
      )}
      {preview && <Run {...props} preview={preview} />}
      {preview && (
        <Panel class="narrow">
          <Nightly store={props.store} mapping={file.own} />
        </Panel>
      )}
      <p>
        <button type="button" class="link" onClick={file.forget}>
          {t.chooseOther}
        </button>
      </p>
    </div>
  )
}

/** The first products as cards, as they would stand in the store. */
function Pictures({ preview: { products } }: { preview: ImportPreview }) {
  const failures = new Map<string, { count: number; isOfApi: boolean }>()
  for (const { picture } of products) {
    if (!('error' in picture)) continue
    const { text, isOfApi } = explain(picture)
    failures.set(text, { count: (failures.get(text)?.count ?? 0) + 1, isOfApi })
  }
  const failed = [...failures.values()].reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <h2>{t.first(formatNumber(products.length))}</h2>
      {failed > 0 && (
        <div class="note">
          <p>{t.picturesFailed(formatNumber(failed), formatNumber(products.length))}</p>
          <ul>
            {[...failures].map(([text, { count, isOfApi }]) => (
              <li key={text} lang={isOfApi ? 'en' : undefined}>
                {formatNumber(count)} × {text}
              </li>
            ))}
          </ul>
        </div>
      )}
      <ul class="grid" aria-label={t.first(formatNumber(products.length))}>
        {products.map(({ line, product_id, metadata, picture }) => (
          <li key={`${line} ${product_id}`}>
            <ProductTile
              id={product_id}
              src={'thumbnail' in picture ? picture.thumbnail : null}
              metadata={metadata}
            >
              {'error' in picture && <span class="state problem">{t.noPicture}</span>}
            </ProductTile>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The columns that nothing reads, each with the choice to keep it. */
function Losses({
  losses,
  onKeep,
}: {
  losses: ImportPreview['losses']
  onKeep(columns: readonly string[]): void
}) {
  return (
    <>
      <p class="muted">{t.lossesHint}</p>
      <ul class="rows">
        {losses.map(({ field, count, example }) => (
          <li key={field}>
            <p>
              <strong dir="auto">{field}</strong> <span class="muted">{t.loss(formatNumber(count))}</span>
              <br />
              <span class="sample" dir="auto">
                {example}
              </span>
            </p>
            <button type="button" onClick={() => onKeep([field])}>
              {t.keep}
              <span class="unseen"> {field}</span>
            </button>
          </li>
        ))}
      </ul>
      {losses.length > 1 && (
        <p>
          <button type="button" class="link" onClick={() => onKeep(losses.map(({ field }) => field))}>
            {t.keepAll}
          </button>
        </p>
      )}
    </>
  )
}

/** What changes in the store, what is left out and what the service noticed. */
function Notes({ preview: { diff, hidden, invalid, errors, findings } }: { preview: ImportPreview }) {
  // Those that are hidden have a line of their own.
  const noticed = findings.filter(({ code }) => code !== 'products_hidden')
  const figures: [label: string, count: number][] = [
    [t.new, diff.new],
    [t.changed, diff.changed],
    [t.unchanged, diff.unchanged],
    [t.gone, diff.gone],
  ]
  return (
    <>
      <h2>{t.changes}</h2>
      <dl class="figures">
        {figures.map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      {hidden > 0 && <p>{t.hidden(formatNumber(hidden))}</p>}
      {invalid > 0 && (
        <details>
          <summary>{t.invalid(formatNumber(invalid))}</summary>
          <ul class="rows">
            {errors.map(({ line, product_id, message }) => (
              <li key={line}>
                <p>
                  <strong>
                    {t.line(formatNumber(line))}
                    {product_id !== null && <span dir="auto"> · {product_id}</span>}
                  </strong>
                  <br />
                  <span lang="en">{message}</span>
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
      {noticed.length > 0 && (
        <>
          <h3>{t.noticed}</h3>
          <ul class="noticed">
            {noticed.map((finding) => {
              const { text, isEnglish } = describeFinding(finding, { ...t, format: formatNumber })
              return (
                <li key={finding.text} lang={isEnglish ? 'en' : undefined}>
                  {text}
                </li>
              )
            })}
          </ul>
        </>
      )}
    </>
  )
}
