/** Limits that are part of the contract and therefore not settings. Each says where it comes from. */
export const LIMITS = {
  /** Results of one search: peers allow 100 to 250; 100 pictures fill any page. */
  searchLimitDefault: 20,
  searchLimitMax: 100,
  /** Deepest result a page may reach; beyond it a shopper refines instead. */
  searchDepthMax: 1_000,
  /** Characters of a text query; the model reads far fewer. */
  queryCharsMax: 500,

  /** Encoded size of one picture, uploaded or downloaded (Google allows 20 MB, Alibaba 4 MB). */
  pictureBytesMax: 10 * 1024 * 1024,
  /** Decoded size of one picture; a bomb is refused from its header. */
  picturePixelsMax: 50_000_000,
  /** Shortest side; smaller pictures carry no product. */
  pictureSideMin: 32,
  /** Pictures of one product beside the first. */
  additionalPicturesMax: 10,

  /** Connecting to a picture's server, and the whole download with redirects. */
  fetchConnectMs: 5_000,
  fetchTotalMs: 15_000,
  fetchRedirectsMax: 3,
  fetchUrlCharsMax: 2_048,
  fetchPerHostMax: 4,
  /** Further tries after an answer of 429 or 5xx. */
  fetchRetriesMax: 2,

  /** Ordinary JSON bodies. */
  jsonBytesMax: 1024 * 1024,
  /** JSON bodies that may carry a picture as base64 or as a data: URI. */
  pictureJsonBytesMax: 15 * 1024 * 1024,
  /** Multipart bodies: a picture and the fields beside it. */
  multipartBytesMax: 11 * 1024 * 1024,
  /** JSON and form bodies of routes without sign-in; none of them means more than 3 KiB. */
  openBodyBytesMax: 16 * 1024,
  /** Fields of a form, files included. */
  formFieldsMax: 200,
  /** Strings, brackets, commas and colons of a JSON body: some thousand times what any body needs beside a vector. */
  jsonPiecesMax: 50_000,
  /** Bytes of a JSON body outside its strings; only a picture in a string may have more. */
  jsonStructureBytesMax: 1024 * 1024,
  /** Backslashes in a JSON body; a picture by PHP, which escapes each slash, has a quarter of a million. */
  jsonEscapesMax: 500_000,

  /** Bodies and pictures that all requests together hold in memory. */
  bytesInFlightMax: 96 * 1024 * 1024,
  /** Those of one store. */
  bytesInFlightPerStoreMax: 48 * 1024 * 1024,
  /** Bodies are taken up to this; the rest is for downloads, or uploads could keep every download waiting. */
  bodyBytesInFlightMax: 64 * 1024 * 1024,
  /** Smaller bodies are taken whatever is under way, so that a search by words is not refused for others' pictures. */
  bodyBytesUncounted: 16 * 1024,
  /** A counted body must come at this pace, after a moment of grace: who holds room for nothing keeps others out. */
  bodyBytesPerSecondMin: 64 * 1024,
  bodyGraceMs: 20_000,
  /** Downloads at once, and those of one store. */
  downloadsMax: 16,
  downloadsPerStoreMax: 8,
  /** Downloads under way or waiting, and those of one store. */
  downloadsInLineMax: 64,
  downloadsInLinePerStoreMax: 32,

  productIdCharsMax: 128,
  metadataBytesMax: 16 * 1024,
  metadataKeysMax: 200,
  metadataDepthMax: 5,
  productsPageDefault: 20,
  productsPageMax: 100,

  /** Problems listed in one 422 answer. */
  validationProblemsMax: 50,
  idempotencyKeyCharsMax: 255,
  idempotencyHours: 24,
  /** A token expired less than this long ago may still be refreshed (spec §8). */
  refreshGraceSeconds: 300,
  /** Characters of a password, counted after NFKC: hashing takes time with its length. */
  passwordCharsMin: 10,
  passwordCharsMax: 1_024,
  /** Sign-ins of one network address a minute, and refreshes (spec §8). */
  loginsPerMinute: 10,
  refreshesPerMinute: 30,
  /** Failed sign-ins of one e-mail address, and of one client_id, in {@link failuresWindowMs} (spec §8). */
  failuresPerEmailMax: 5,
  failuresPerClientMax: 10,
  failuresWindowMs: 15 * 60_000,
  /** Wrong passwords with the link of a registration; the last of them ends the link. */
  passwordsPerLinkMax: 5,
  /** What a whole network (/24, /48) may send, as a multiple of what one of its addresses may. */
  networkFactor: 10,
  /** An address stays known to a person for so long after a sign-in, and at most so many do. */
  knownAddressMs: 30 * 86_400_000,
  knownAddressesPerPersonMax: 20,
  /** Tries of a locked e-mail from one address in {@link failuresWindowMs}. */
  lockedTriesMax: 5,
  /** Wrong second factors since the last success after which the person is told, and wrong ones count for twice as long. */
  wrongCodesToldAt: 10,
  /** Requests of one network address a minute that send a mail to whatever address they name. */
  mailRequestsPerMinute: 10,
  /** Registrations of one e-mail address in an hour: of one network address, and of all, which bounds its mails. */
  registrationsPerHour: 5,
  registrationsPerEmailPerHour: 20,
  /** Mails to one address in an hour that bring a link for a new password. */
  resetMailsPerHour: 3,
  /** Notices of one kind about one store that its owners are mailed in an hour. */
  ownerNoticesPerHour: 3,
  /** Requests a minute of one login of a person about the account and the security of stores. */
  personRequestsPerMinute: 60,
  /** Requests a minute of a store's machine grant about the security of the store, on a plan with limits. */
  machineSecurityRequestsPerMinute: 30,
  /** Sign-ins of one person at a time; the one that was not used for longest gives way. */
  sessionsPerPersonMax: 50,
} as const
