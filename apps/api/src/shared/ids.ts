import { type IdKind, idPattern, idPrefixes } from '@flowpost/contract'
import { TypeID, typeid } from 'typeid-js'

/** A UUID as the database stores it. On the wire it is a TypeID: see {@link toId}. */
export type Uuid = string

/** A new UUIDv7: later ones sort after earlier ones. */
export const newUuid = (): Uuid => typeid().toUUID()

/** The TypeID of a stored UUID. */
export const toId = (kind: IdKind, uuid: Uuid): string => TypeID.fromUUID(idPrefixes[kind], uuid).toString()

const patterns = Object.fromEntries(Object.keys(idPrefixes).map((kind) => [kind, idPattern(kind as IdKind)])) as Record<IdKind, RegExp>

/** The UUID behind a TypeID of this kind, or `undefined` when no resource of the kind can have this id. */
export const fromId = (kind: IdKind, id: string): Uuid | undefined =>
  patterns[kind].test(id) ? TypeID.fromString(id, idPrefixes[kind]).toUUID() : undefined
