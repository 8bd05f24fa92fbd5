import type { api, ProblemCode as DeclaredCode, Scope as DeclaredScope } from '@flowpost/contract'
import type { Operation, ProblemCode, Scope } from '../src/public-types.ts'

type Api = typeof api
type DeclaredOperation = { [Group in keyof Api]: `${Group}.${Extract<keyof Api[Group], string>}` }[keyof Api]

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const same = <_ extends true>(): void => {}

// The public types equal the contract's types.
same<Same<Operation, DeclaredOperation>>()
same<Same<Scope, DeclaredScope>>()
same<DeclaredCode extends ProblemCode ? true : false>()
