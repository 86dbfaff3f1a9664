import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import {
  bits,
  type Der,
  der,
  identifier,
  integer,
  octets,
  sequence,
  set,
  tagged,
  time,
  toPem,
  utf8,
} from '../../core/der.ts'

const ECDSA_WITH_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'))
const COMMON_NAME = identifier('2.5.4.3')
const SUBJECT_ALT_NAME = identifier('2.5.29.17')
const EXTENSION_REQUEST = identifier('1.2.840.113549.1.9.14')
const DNS_NAME = 0x82

/** Makes a private key (EC, P-256), in PEM. */
export const makeKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })

/** Writes the request for a certificate (RFC 2986) of a host name, in PEM. The name of the subject is empty: clients read no other. */
export function makeRequest(domain: string, key: string): string {
  const extensions = sequence(namesOf(domain))
  const info = sequence(
    integer(0),
    sequence(),
    publicKeyOf(key),
    tagged(0, sequence(EXTENSION_REQUEST, set(extensions))),
  )
  return toPem('CERTIFICATE REQUEST', signed(info, key))
}

/** Makes a certificate that nobody but the machine itself vouches for, in PEM. @param from Unix ms. */
export function makeOwnCertificate(domain: string, key: string, from: number, to: number): string {
  const name = sequence(set(sequence(COMMON_NAME, utf8(domain))))
  const info = sequence(
    tagged(0, integer(2)),
    integer(1, ...randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(from), time(to)),
    name,
    publicKeyOf(key),
    tagged(3, sequence(namesOf(domain))),
  )
  return toPem('CERTIFICATE', signed(info, key))
}

const namesOf = (domain: string): Der =>
  sequence(SUBJECT_ALT_NAME, octets(sequence(der(DNS_NAME, Buffer.from(domain)))))

const publicKeyOf = (key: string): Der => createPublicKey(key).export({ type: 'spki', format: 'der' })

const signed = (info: Der, key: string): Der =>
  sequence(info, ECDSA_WITH_SHA256, bits(sign('sha256', info, createPrivateKey(key))))
