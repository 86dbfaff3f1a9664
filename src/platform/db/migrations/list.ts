import stores from './0001_stores.sql' with { type: 'text' }
import products from './0002_products.sql' with { type: 'text' }
import searches from './0003_searches.sql' with { type: 'text' }
import access from './0004_access.sql' with { type: 'text' }
import signIns from './0005_sign_ins.sql' with { type: 'text' }
import keyMakers from './0006_key_makers.sql' with { type: 'text' }
import registrationProof from './0007_registration_proof.sql' with { type: 'text' }
import writeProbe from './0008_write_probe.sql' with { type: 'text' }
import storageUse from './0009_storage_use.sql' with { type: 'text' }
import productLists from './0010_product_lists.sql' with { type: 'text' }
import changes from './0011_changes.sql' with { type: 'text' }
import jobs from './0012_jobs.sql' with { type: 'text' }
import storeSettings from './0013_store_settings.sql' with { type: 'text' }
import reembedding from './0014_reembedding.sql' with { type: 'text' }
import feeds from './0015_feeds.sql' with { type: 'text' }
import jobRoom from './0016_job_room.sql' with { type: 'text' }
import givenVectors from './0017_given_vectors.sql' with { type: 'text' }
import search from './0018_search.sql' with { type: 'text' }
import feedback from './0019_feedback.sql' with { type: 'text' }
import analytics from './0020_analytics.sql' with { type: 'text' }
import widgetKeys from './0021_widget_keys.sql' with { type: 'text' }
import team from './0022_team.sql' with { type: 'text' }
import billing from './0023_billing.sql' with { type: 'text' }
import storeStates from './0024_store_states.sql' with { type: 'text' }
import ownData from './0025_own_data.sql' with { type: 'text' }
import widgetPages from './0026_widget_pages.sql' with { type: 'text' }
import feedbackLookups from './0027_feedback_lookups.sql' with { type: 'text' }
import feedRuns from './0028_feed_runs.sql' with { type: 'text' }
import operatorPlans from './0029_operator_plans.sql' with { type: 'text' }
import toldOrders from './0030_told_orders.sql' with { type: 'text' }
import traceBounds from './0031_trace_bounds.sql' with { type: 'text' }
import fields from './0032_fields.sql' with { type: 'text' }
import itemDeaths from './0033_item_deaths.sql' with { type: 'text' }
import lateWrites from './0034_late_writes.sql' with { type: 'text' }
import portalSessions from './0035_portal_sessions.sql' with { type: 'text' }
import thumbnails from './0036_thumbnails.sql' with { type: 'text' }
import searchLog from './0037_search_log.sql' with { type: 'text' }
import widgetTraces from './0038_widget_traces.sql' with { type: 'text' }
import jobSources from './0039_job_sources.sql' with { type: 'text' }
import operatorLists from './0040_operator_lists.sql' with { type: 'text' }
import unmatchedBytes from './0042_unmatched_bytes.sql' with { type: 'text' }
import pausedFeeds from './0044_paused_feeds.sql' with { type: 'text' }
import backups from './0046_backups.sql' with { type: 'text' }
import storeFiles from './0047_store_files.sql' with { type: 'text' }
import diskSamples from './0048_disk_samples.sql' with { type: 'text' }
import catalogueReports from './0049_catalogue_reports.sql' with { type: 'text' }
import backupCopies from './0050_backup_copies.sql' with { type: 'text' }
import searchRules from './0051_search_rules.sql' with { type: 'text' }
import storeWords from './0052_store_words.sql' with { type: 'text' }
import soldOut from './0053_sold_out.sql' with { type: 'text' }
import together from './0054_together.sql' with { type: 'text' }
import replay from './0055_replay.sql' with { type: 'text' }
import weeklyMails from './0056_weekly_mails.sql' with { type: 'text' }
import modelMoves from './0057_model_moves.sql' with { type: 'text' }
import secondModel from './0058_second_model.sql' with { type: 'text' }
import modelFetches from './0059_model_fetches.sql' with { type: 'text' }
import checkModels from './0060_check_models.sql' with { type: 'text' }
import storeMoves from './0061_store_moves.sql' with { type: 'text' }
import departures from './0062_departures.sql' with { type: 'text' }
import nodeTrust from './0063_node_trust.sql' with { type: 'text' }
import moveChanges from './0064_move_changes.sql' with { type: 'text' }

/** Applied once each, in this order. Add at the end; never edit one that has shipped. */
export const migrations: readonly string[] = [
  stores,
  products,
  searches,
  access,
  signIns,
  keyMakers,
  registrationProof,
  writeProbe,
  storageUse,
  productLists,
  changes,
  jobs,
  storeSettings,
  reembedding,
  feeds,
  jobRoom,
  givenVectors,
  search,
  feedback,
  analytics,
  widgetKeys,
  team,
  billing,
  storeStates,
  ownData,
  widgetPages,
  feedbackLookups,
  feedRuns,
  operatorPlans,
  toldOrders,
  traceBounds,
  fields,
  itemDeaths,
  lateWrites,
  portalSessions,
  thumbnails,
  searchLog,
  widgetTraces,
  jobSources,
  operatorLists,
  unmatchedBytes,
  pausedFeeds,
  backups,
  storeFiles,
  diskSamples,
  catalogueReports,
  backupCopies,
  searchRules,
  storeWords,
  soldOut,
  together,
  replay,
  weeklyMails,
  modelMoves,
  secondModel,
  modelFetches,
  checkModels,
  storeMoves,
  departures,
  nodeTrust,
  moveChanges,
]
