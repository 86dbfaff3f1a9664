import { PASSWORD_CHARS } from './password-shape.ts'

/**
 * Limits that are part of the contract, and therefore not settings. Each comment gives its reason. What stores share has
 * four numbers: `ShareLimits` of `shares.ts`.
 */
export const LIMITS = {
  /** Results of one search with a widget key, bodies of its searches with a picture (a phone's photo, shrunk) and without. */
  widgetLimitMax: 50,
  widgetPictureBytesMax: 4 * 1024 * 1024,
  widgetBytesMax: 256 * 1024,
  /** Searches of one visitor's address with any widget key: a minute, and at once. */
  visitorRequestsPerMinute: 30,
  visitorBurst: 10,
  /** How many times as much feedback a widget key and a visitor may send. */
  widgetFeedbackFactor: 10,
  /** How many times as many suggestions: a shopper who types asks with every few letters. */
  widgetSuggestionFactor: 10,
  widgetSuggestionsMax: 10,
  /** Products that a widget's answer without results shows instead. */
  widgetPopularMax: 8,

  /** Results of one search. Comparable services allow 100 to 250; 100 pictures fill any page. */
  searchLimitDefault: 20,
  searchLimitMax: 100,
  /** Deepest result that a page may reach; beyond it a shopper refines the query. */
  searchDepthMax: 1_000,
  /** Searches in one batch, and how many of them run at a time. */
  batchQueriesMax: 20,
  batchQueriesAtOnce: 8,
  /** Characters of a text query; the model reads far fewer. */
  queryCharsMax: 500,
  /** Saved checks of a store, the products that each expects, and the bytes of their pictures: of one, and of all. */
  checksPerStore: 100,
  checkExpectedMax: 20,
  checkPictureBytesMax: 1024 * 1024,
  checkPicturesBytesMax: 20 * 1024 * 1024,
  /** A picture of that size in base64, and the other fields. */
  checkJsonBytesMax: 1536 * 1024,
  /** Searches of the log that one replay makes again, and replays of a store that are kept. */
  replayedSearchesMax: 1_000,
  replayedSearchesDefault: 200,
  replaysKept: 10,

  /** Rules of a store, and the bytes of all of them; actions of one, its words, and the bytes of its body. */
  rulesPerStore: 500,
  rulesBytesMax: 4 * 1024 * 1024,
  ruleActionsMax: 20,
  ruleEntriesMax: 50,
  ruleEntryWordsMax: 20,
  ruleJsonBytesMax: 64 * 1024,
  rulePositionMax: 100,
  /** Filters of rules that act on one search, and their conditions: those of older rules first. */
  ruleFiltersAtOnce: 500,
  ruleConditionsAtOnce: 2_000,
  /** Words of a store: groups of synonyms, redirects, ignored words, and the bytes of all of them together. */
  synonymGroupsPerStore: 2_000,
  /** Entries of one group, or of either side of one. */
  synonymsMax: 50,
  redirectsPerStore: 2_000,
  ignoredWordsPerStore: 2_000,
  /** Characters of an entry, its words, and the characters of an address. */
  storeWordCharsMax: 100,
  storeWordPartsMax: 5,
  redirectUrlCharsMax: 2_000,
  storeWordsJsonBytesMax: 4 * 1024 * 1024,
  /** Strings and signs of that body: two for each word that a group may have, and some for each group. */
  storeWordsJsonPiecesMax: 500_000,

  /** Encoded size of one picture, uploaded or downloaded (Google allows 20 MB, Alibaba 4 MB). */
  pictureBytesMax: 10 * 1024 * 1024,
  /** Decoded size of one picture; a decompression bomb is refused from its header. */
  picturePixelsMax: 50_000_000,
  /** Shortest side; smaller pictures cannot show a product. */
  /** Pixels of the longer side of a product's thumbnail. */
  thumbnailSide: 192,
  /** The same of a shopper’s picture that found nothing, and days that it is kept. */
  unmatchedThumbnailSide: 96,
  unmatchedThumbnailDays: 30,
  pictureSideMin: 32,
  /** Pictures of one product in addition to the first. */
  additionalPicturesMax: 10,

  /** Timeouts for connecting to a picture's server and for the whole download with redirects. */
  fetchConnectMs: 5_000,
  fetchTotalMs: 15_000,
  fetchRedirectsMax: 3,
  fetchUrlCharsMax: 2_048,
  /** A page of a shop that is checked, with its redirects; checks of a store in a minute, and those that run at a time. */
  pageBytesMax: 2 * 1024 * 1024,
  pageTotalMs: 10_000,
  pageChecksPerMinute: 6,
  pageChecks: { max: 16, perOwnerMax: 2, firstMax: 1, extraMax: 6 },

  /** Retries after an answer of 429 or 5xx. */
  fetchRetriesMax: 2,

  /** Ordinary JSON bodies. */
  jsonBytesMax: 1024 * 1024,
  /** JSON bodies that may carry a picture as base64 or as a data: URI. */
  pictureJsonBytesMax: 15 * 1024 * 1024,
  /** Shorter JSON bodies may well hold a vector or a URL, and are no work to read. */
  pictureJsonBytesMin: 128 * 1024,
  /** Multipart bodies: a picture and its fields. */
  multipartBytesMax: 11 * 1024 * 1024,
  /** JSON and form bodies of routes without sign-in; none of them needs more than 3 KiB. */
  openBodyBytesMax: 16 * 1024,
  /** Events of the payment provider, which have some KiB. */
  paymentEventBytesMax: 256 * 1024,
  /** Bytes of those that are read at a time. Anyone can send some before the signature tells. */
  paymentEventBytesInFlightMax: 4 * 1024 * 1024,
  /** Fields of a form, files included. */
  formFieldsMax: 200,
  /** Strings, brackets, commas and colons in a JSON body; apart from a vector, no body needs a thousandth of this. */
  jsonPiecesMax: 50_000,
  /** Bytes of a JSON body outside its strings; only a picture in a string may have more. */
  jsonStructureBytesMax: 1024 * 1024,
  /** Backslashes in a JSON body; PHP escapes every slash, which gives a picture a quarter of a million. */
  jsonEscapesMax: 500_000,

  /** Bytes of bodies and pictures that all requests together hold in memory. A store's first ones fit its next picture. */
  bytesInFlight: {
    max: 96 * 1024 * 1024,
    perOwnerMax: 48 * 1024 * 1024,
    firstMax: 12 * 1024 * 1024,
    extraMax: 40 * 1024 * 1024,
  },
  /** The part of it open to bodies. The rest is reserved for downloads, which uploads could otherwise block. */
  bodyBytesInFlightMax: 64 * 1024 * 1024,
  /** Smaller bodies are always accepted, so that others' pictures never crowd out a text search. */
  bodyBytesUncounted: 16 * 1024,
  /** After a grace period a counted body must arrive at this rate, because a stalled one keeps others out. */
  bodyBytesPerSecondMin: 64 * 1024,
  /** The grace period, in which the first MiB must arrive. */
  bodyGraceMs: 20_000,
  bodyGraceBytes: 1024 * 1024,
  /** A body that arrives more slowly gives way when another store, which holds less, finds no space. */
  yieldingBytesPerSecond: 256 * 1024,
  /** Large bodies and files of feeds on the disk at a time. */
  spooledBodies: { max: 16, perOwnerMax: 4, firstMax: 1, extraMax: 8 },
  /** Files of dry runs of a store that are kept for an import, and for how long after the last dry run. */
  keptUploadsMax: 3,
  keptUploadMs: 30 * 60_000,
  /** Bytes of them on the disk. A file counts as one MiB at least, which bounds their number, too. */
  keptUploadBytesMin: 1024 * 1024,
  keptUploadBytes: {
    max: 4 * 1024 ** 3,
    perOwnerMax: 300 * 1024 * 1024,
    firstMax: 100 * 1024 * 1024,
    extraMax: 1024 ** 3,
  },
  /** Products with their pictures that a dry run shows. */
  importSampleMin: 5,
  importSampleMax: 20,
  /** Downloads of pictures that run at a time, and that run or wait. A server that is waited for costs no memory. */
  downloads: { max: 128, perOwnerMax: 8, firstMax: 4, extraMax: 8 },
  downloadsInLine: { max: 1_024, perOwnerMax: 32, firstMax: 8, extraMax: 64 },
  /** The same of one host. */
  downloadsOfHost: { max: 12, perOwnerMax: 4, firstMax: 2, extraMax: 2 },
  /** Downloads of jobs, which pass a gate of their own; never all that a store may have at a host. */
  bulkDownloads: { max: 64, perOwnerMax: 6, firstMax: 3, extraMax: 8 },
  bulkDownloadsOfHost: { max: 8, perOwnerMax: 3, firstMax: 1, extraMax: 2 },
  /** Pictures that were downloaded for jobs and wait for the model. Its queue takes 32 of jobs. */
  bulkPictures: { max: 48, perOwnerMax: 20, firstMax: 4, extraMax: 20 },

  /** Body and products of a bulk request. */
  bulkBytesMax: 100 * 1024 * 1024,
  bulkProductsMax: 10_000,
  /** A product of a job that takes longer is given up, which counts as one of its tries. */
  jobItemMs: 5 * 60_000,
  /** Unfinished jobs of a store. */
  unfinishedJobsMax: 20,
  /** How long a job can be read after its end. */
  jobDays: 30,
  /** Jobs of a store that are over and can be read. */
  jobsKeptMax: 1_000,
  jobsPageDefault: 20,
  jobsPageMax: 100,
  /** Errors within a job, and on one page of the list of its errors. */
  jobErrorsInline: 100,
  jobErrorsPageDefault: 100,
  jobErrorsPageMax: 1_000,
  /** Products with a failure on one page of their list, and items that one retry may name. */
  openFailuresPageDefault: 20,
  openFailuresPageMax: 100,
  retriedIndexesMax: 1_000,
  /** Streams of events about jobs that are open at a time. */
  jobStreams: { max: 1_000, perOwnerMax: 10, firstMax: 2, extraMax: 160 },

  /** Feeds of one store, the file of one, and how often it is pulled: hourly to monthly, in minutes. */
  feedsPerStoreMax: 20,
  feedBytesMax: 100 * 1024 * 1024,
  feedIntervalMinutesMin: 60,
  feedIntervalMinutesMax: 30 * 1_440,
  feedIntervalMinutesDefault: 1_440,
  /** Share of a feed's products that may be gone from its file before nothing is deleted. */
  feedMissingShareMax: 0.2,

  /** Exports that run at a time, and exports of data about people, of stores and persons. */
  exports: { max: 100, perOwnerMax: 4, firstMax: 1, extraMax: 30 },
  peopleExports: { max: 50, perOwnerMax: 2, firstMax: 1, extraMax: 15 },

  productIdCharsMax: 128,
  metadataBytesMax: 16 * 1024,
  metadataKeysMax: 200,
  categoryPathMax: 30,
  colorsMax: 30,
  variantsMax: 100,
  metadataDepthMax: 5,
  productsPageDefault: 20,
  productsPageMax: 100,
  /** Up to here a list counts the products that pass its filters. */
  productsTotalMax: 10_000,

  /** Conditions of a filter; each value of `contains_…` counts as one (Typesense allows 100). */
  filterConditionsMax: 100,
  /** Levels of groups in a filter. */
  filterDepthMax: 5,
  /** Characters of a text or a field name in a filter. */
  filterTextCharsMax: 512,
  /** Values of one list in a filter, and of all its lists together. */
  filterValuesMax: 1_000,
  filterValuesTotalMax: 5_000,
  /** Fields that are counted at a time, and the values that an answer shows of each. */
  facetFieldsMax: 10,
  facetValuesShown: 20,
  /** Products that one request deletes by a filter, and the ids that its answer shows. */
  deletedByFilterMax: 5_000,
  deletedIdsShown: 100,

  /** Changes on one page of the change log, and the bytes of their data after which a page ends. */
  changesPageDefault: 100,
  changesPageMax: 1_000,
  changesPageBytes: 1024 * 1024,
  /** How long changes and the log of deliveries are kept. */
  changesKeptDays: 30,

  webhooksPerStoreMax: 20,
  webhookSecretCharsMin: 16,
  webhookSecretCharsMax: 128,
  /** How long a replaced secret still signs, at most and by default. */
  secretGraceSecondsMax: 7 * 86_400,
  secretGraceSecondsDefault: 86_400,
  /** Timeouts for connecting to a receiver and for the whole delivery, and how much of the answer is read and kept. */
  deliveryConnectMs: 5_000,
  /** Time for looking up the host of a webhook when it is made, and look-ups of one store at a time. */
  webhookLookupMs: 3_000,
  webhookLookupsAtOnce: 2,
  deliveryTotalMs: 15_000,
  /** Tests of webhooks that wait for their receivers at a time. */
  webhookTests: { max: 64, perOwnerMax: 4, firstMax: 2, extraMax: 8 },
  deliveryAnswerBytesMax: 64 * 1024,
  deliveryAnswerBytesKept: 2 * 1024,
  /** The longest wait that a receiver may ask for with `Retry-After`. */
  deliveryRetryAfterMaxMs: 24 * 3_600_000,
  /** A webhook whose attempts have all failed for this long is disabled. */
  webhookFailingMaxMs: 5 * 86_400_000,
  deliveriesPageDefault: 20,
  deliveriesPageMax: 100,
  inboxSize: 100,

  /** Events of one request, and requests of feedback as a multiple of the requests that the plan allows. */
  feedbackEventsMax: 1_000,
  feedbackFactor: 10,
  /** Events in lists that a store may send in an hour, for each request a minute of its plan. */
  feedbackEventsPerHourFactor: 1_000,
  /** So many of them count as one. They cost a widget one request; a list of the longest length costs a visitor's burst. */
  feedbackEventsPerUnit: 10,

  /** Problems listed in one answer of 422. */
  validationProblemsMax: 50,
  idempotencyKeyCharsMax: 255,
  idempotencyHours: 24,
  /** Time after its expiry in which a token may still be refreshed (contract 4.6). */
  refreshGraceSeconds: 300,
  /** Characters of a password, counted after NFKC; the time to hash it grows with its length. */
  passwordCharsMin: PASSWORD_CHARS.min,
  passwordCharsMax: PASSWORD_CHARS.max,
  /** Sign-ins and refreshes of one network address in a minute (contract 5.6). */
  signInsPerMinute: 10,
  refreshesPerMinute: 30,
  /** Failed sign-ins of one e-mail address and of one client_id in {@link failuresWindowMs} (contract 5.6). */
  failuresPerEmailMax: 5,
  failuresPerClientMax: 10,
  failuresWindowMs: 15 * 60_000,
  /** Wrong passwords for one registration link; the last one invalidates it. */
  passwordsPerLinkMax: 5,
  /** Limit of a whole network (/24, /48) as a multiple of the limit of one address. */
  networkFactor: 10,
  /** How long a network address stays known to a person after a sign-in, and how many addresses do. */
  knownAddressMs: 30 * 86_400_000,
  knownAddressesPerPersonMax: 20,
  /** Attempts on a locked e-mail from one network address in {@link failuresWindowMs}. */
  lockedTriesMax: 5,
  /** Wrong second factors since the last success before the person is notified and failures count for twice as long. */
  wrongCodesToldAt: 10,
  /** Requests of one network address in a minute that send a mail to an address of its choice. */
  mailRequestsPerMinute: 10,
  /** Registrations of one e-mail address in an hour: from one network address, and from all, which bounds its mails. */
  registrationsPerHour: 5,
  registrationsPerEmailPerHour: 20,
  /** Mails with a password reset link to one address in an hour. */
  resetMailsPerHour: 3,
  /** Requests for another e-mail address in an hour: of one person, and that name one address. */
  emailChangesPerHour: 5,
  /** Notices of one kind about one store that its owners receive in an hour. */
  ownerNoticesPerHour: 3,
  /** Members of a store, open invitations included, and its groups. */
  membersPerStoreMax: 200,
  groupsPerStoreMax: 100,
  groupNameCharsMax: 100,
  /** How long an invitation can be accepted, and how long an ended one says what became of it. */
  inviteDays: 7,
  endedInviteDays: 30,
  /** Ended invitations of a store that its list shows. */
  endedInvitesMax: 500,
  /** New members and invitations of a store in an hour; to one e-mail address by one store, and by all of them. */
  invitesPerStorePerHour: 200,
  invitesPerEmailPerHour: 5,
  invitesOfEmailPerHour: 20,
  /** Requests of one session in a minute to the routes for the account and for store security. */
  personRequestsPerMinute: 60,
  /** Requests in a minute of one person that spend no plan, and of all people of a store: reads, and deletions and settings in the portal. */
  readsPerPersonPerMinute: 240,
  readsOfPeoplePerStorePerMinute: 960,
  /** Requests of a store's machine grant in a minute to the routes for store security, on a plan with limits. */
  machineSecurityRequestsPerMinute: 30,
  /** Searches in a minute of one person in the portal, and of all people of a store there. */
  portalSearchesPerPersonPerMinute: 30,
  portalSearchesPerStorePerMinute: 60,
  /** How long a sign-in of the portal waits for its next refresh, and how long it lasts at most. */
  portalIdleMs: 12 * 3_600_000,
  portalSessionMs: 30 * 86_400_000,
  /** Refreshes of one sign-in of the portal in a minute: an office has one address, and a person many tabs. */
  portalRefreshesPerMinute: 120,
  /** Concurrent sessions of one person; a new one replaces the least recently used. */
  sessionsPerPersonMax: 50,
} as const
