import access from '#generated/guide/access.html.gz' with { type: 'file' }
import alerts from '#generated/guide/alerts.yml.gz' with { type: 'file' }
import analytics from '#generated/guide/analytics.html.gz' with { type: 'file' }
import billing from '#generated/guide/billing.html.gz' with { type: 'file' }
import changelog from '#generated/guide/changelog.html.gz' with { type: 'file' }
import clients from '#generated/guide/clients.html.gz' with { type: 'file' }
import comparison from '#generated/guide/comparison.html.gz' with { type: 'file' }
import contract from '#generated/guide/contract.html.gz' with { type: 'file' }
import dashboard from '#generated/guide/dashboard.json.gz' with { type: 'file' }
import index from '#generated/guide/index.html.gz' with { type: 'file' }
import indexing from '#generated/guide/indexing.html.gz' with { type: 'file' }
import installing from '#generated/guide/installing.html.gz' with { type: 'file' }
import larger from '#generated/guide/larger.html.gz' with { type: 'file' }
import limits from '#generated/guide/limits.html.gz' with { type: 'file' }
import maintaining from '#generated/guide/maintaining.html.gz' with { type: 'file' }
import merchandising from '#generated/guide/merchandising.html.gz' with { type: 'file' }
import models from '#generated/guide/models.html.gz' with { type: 'file' }
import nodes from '#generated/guide/nodes.html.gz' with { type: 'file' }
import operating from '#generated/guide/operating.html.gz' with { type: 'file' }
import people from '#generated/guide/people.html.gz' with { type: 'file' }
import portal from '#generated/guide/portal.html.gz' with { type: 'file' }
import reference from '#generated/guide/reference.html.gz' with { type: 'file' }
import searching from '#generated/guide/searching.html.gz' with { type: 'file' }
import service from '#generated/guide/service.html.gz' with { type: 'file' }
import standby from '#generated/guide/standby.html.gz' with { type: 'file' }
import upgrading from '#generated/guide/upgrading.html.gz' with { type: 'file' }
import watching from '#generated/guide/watching.html.gz' with { type: 'file' }
import webhooks from '#generated/guide/webhooks.html.gz' with { type: 'file' }
import widget from '#generated/guide/widget.html.gz' with { type: 'file' }

/** Path of the guide's first page. */
export const guideIndex = String(index)

/** Paths of the guide's other pages, by name in the URL. */
export const guidePages: Readonly<Record<string, string>> = {
  access: String(access),
  analytics: String(analytics),
  billing: String(billing),
  changelog: String(changelog),
  clients: String(clients),
  comparison: String(comparison),
  contract: String(contract),
  indexing: String(indexing),
  installing: String(installing),
  larger: String(larger),
  limits: String(limits),
  maintaining: String(maintaining),
  merchandising: String(merchandising),
  service: String(service),
  operating: String(operating),
  nodes: String(nodes),
  standby: String(standby),
  upgrading: String(upgrading),
  people: String(people),
  portal: String(portal),
  reference: String(reference),
  searching: String(searching),
  models: String(models),
  watching: String(watching),
  webhooks: String(webhooks),
  widget: String(widget),
}

/** The guide's files for other programs, by name in the URL. */
export const guideFiles: Readonly<Record<string, { path: string; type: string }>> = {
  'alerts.yml': { path: String(alerts), type: 'text/plain; charset=utf-8' },
  'dashboard.json': { path: String(dashboard), type: 'application/json' },
}
