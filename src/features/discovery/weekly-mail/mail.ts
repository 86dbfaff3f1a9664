import { DAY_MS } from '../../../core/clock.ts'
import { escapeHtml } from '../../../http/page.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'
import type { Advice, Week } from './facts.ts'
import { type Texts, textsFor } from './texts/texts.ts'

export interface MailFacts {
  to: string
  week: Week
  /** Of the store, such as `de-AT`. */
  locale: string
  baseUrl: string
  /** Of the link that ends the mails. */
  token: string
}

/** The page of the portal that an advice is about. */
const PAGES: Readonly<Record<Advice, string>> = {
  'track-clicks': 'widget',
  restock: 'products',
  'name-missed': 'analytics',
  photos: 'analytics',
  'track-purchases': 'widget',
  try: 'playground',
}

/** A line of the mail: what it is, and how much. */
type Line = readonly [name: string, value: string]

interface Section {
  heading: string
  lines: readonly Line[]
}

/** Writes the mail of a week to one owner, as plain text and as a page. */
export function weeklyMail({ to, week, locale, baseUrl, token }: MailFacts): Mail {
  const t = textsFor(locale)
  const show = createFormats(locale)
  const [text, link] = t.advices[week.advice]
  const parts = {
    t,
    lang: show.lang,
    title: t.title(week.slug, show.period(week.from, week.to)),
    figures: listFigures(week, t, show),
    sections: listSections(week, t, show),
    advice: { text, link, url: `${baseUrl}/${week.slug}/portal/${PAGES[week.advice]}` },
    unsubscribeUrl: `${baseUrl}/unsubscribe#token=${token}`,
  }
  return {
    to,
    subject: t.subject(week.slug, show.count(week.searches.now)),
    text: writeText(parts),
    html: writePage(parts),
    unsubscribeUrl: `${baseUrl}/unsubscribe?token=${token}`,
  }
}

interface Parts {
  t: Texts
  lang: string
  title: string
  figures: readonly { name: string; value: string; note: string }[]
  sections: readonly Section[]
  advice: { text: string; link: string; url: string }
  unsubscribeUrl: string
}

function listFigures(week: Week, t: Texts, show: Formats): Parts['figures'] {
  const compared = (name: string, { now, before }: Week['searches']) => ({
    name,
    value: show.count(now),
    note: t.before(show.count(before)),
  })
  return [
    compared(t.searches, week.searches),
    compared(t.clicked, week.clicks),
    ...week.revenue.map(({ currency, amount, before, orders }) => ({
      name: t.revenue,
      value: show.money(amount, currency),
      note: [
        t.orders(show.count(orders)),
        ...(before === null ? [] : [t.before(show.money(before, currency))]),
      ].join(' · '),
    })),
  ]
}

function listSections({ missed, photos, soldOut }: Week, t: Texts, show: Formats): Section[] {
  const searched = (searches: number) => t.searchedTimes(show.count(searches))
  return [
    { heading: t.missed, lines: missed.map(({ words, searches }): Line => [words, searched(searches)]) },
    {
      heading: t.photos,
      lines: photos.map(({ shows, searches }): Line => [shows ?? t.unknownPhotos, searched(searches)]),
    },
    {
      heading: t.soldOut,
      lines: soldOut.map(({ name, clicks }): Line => [name, t.clickedTimes(show.count(clicks))]),
    },
  ].filter(({ lines }) => lines.length > 0)
}

function writeText({ t, title, figures, sections, advice, unsubscribeUrl }: Parts): string {
  const paragraphs = [
    title,
    figures.map(({ name, value, note }) => `${name}: ${value} (${note})`).join('\n'),
    ...sections.map(({ heading, lines }) =>
      [heading, ...lines.map(([name, value]) => `- ${toLine(name)} (${value})`)].join('\n'),
    ),
    `${t.advice}\n${advice.text}\n${advice.link}: ${advice.url}`,
    `${t.why}\n${t.unsubscribe}: ${unsubscribeUrl}`,
  ]
  return `${paragraphs.join('\n\n')}\n`
}

/** What stands in the mail but comes from elsewhere is one line, and turns nothing else around. */
const toLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()

const safe = (text: string): string => escapeHtml(toLine(text))

/** Programs that show mail know few styles, and often only those of the elements themselves. */
const STYLE = {
  page: 'margin:0;padding:16px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif',
  sheet: 'max-width:560px;margin:0 auto',
  title: 'font-size:20px;line-height:1.3;margin:0 0 16px',
  heading: 'font-size:16px;margin:24px 0 4px',
  table: 'width:100%;border-collapse:collapse',
  name: 'text-align:start;font-weight:normal;padding:6px 12px 6px 0;border-bottom:1px solid #8884;overflow-wrap:anywhere',
  value: 'text-align:end;padding:6px 0;border-bottom:1px solid #8884;vertical-align:top',
  count: 'white-space:nowrap',
  note: 'display:block;font-size:13px;opacity:.75',
  button:
    'display:inline-block;padding:10px 16px;border-radius:6px;background:#1f5fbf;color:#ffffff;text-decoration:none',
  foot: 'margin-top:32px;font-size:13px;opacity:.75',
}

function writePage({ t, lang, title, figures, sections, advice, unsubscribeUrl }: Parts): string {
  const row = (name: string, value: string) =>
    `<tr><th scope="row" style="${STYLE.name}">${name}</th><td style="${STYLE.value}">${value}</td></tr>`
  const figure = ({ name, value, note }: Parts['figures'][number]) =>
    row(escapeHtml(name), `<b>${escapeHtml(value)}</b><span style="${STYLE.note}">${escapeHtml(note)}</span>`)
  const table = (rows: readonly string[]) => `<table style="${STYLE.table}">${rows.join('')}</table>`
  const section = ({ heading, lines }: Section) =>
    `<h2 style="${STYLE.heading}">${escapeHtml(heading)}</h2>${table(
      lines.map(([name, value]) =>
        row(`<bdi>${safe(name)}</bdi>`, `<span style="${STYLE.count}">${escapeHtml(value)}</span>`),
      ),
    )}`
  return `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${safe(title)}</title></head>
<body style="${STYLE.page}"><div style="${STYLE.sheet}">
<h1 style="${STYLE.title}">${safe(title)}</h1>
${table(figures.map(figure))}
${sections.map(section).join('\n')}
<h2 style="${STYLE.heading}">${escapeHtml(t.advice)}</h2>
<p>${escapeHtml(advice.text)}</p>
<p><a href="${escapeHtml(advice.url)}" style="${STYLE.button}">${escapeHtml(advice.link)}</a></p>
<p style="${STYLE.foot}">${escapeHtml(t.why)} <a href="${escapeHtml(unsubscribeUrl)}">${escapeHtml(t.unsubscribe)}</a></p>
</div></body></html>
`
}

type Formats = ReturnType<typeof createFormats>

/** Numbers as the language of the store writes them. Its days are those of its own time zone already. */
function createFormats(locale: string) {
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return {
    lang: new Intl.Locale(locale).language,
    count: (count: number): string => numbers.format(count),
    money: (amount: number, currency: string): string =>
      new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount),
    period: (from: string, to: string): string => days.formatRange(momentOf(from), momentOf(to)),
  }
}

const momentOf = (date: string): number => Date.parse(date) + DAY_MS / 2
