/** What planning needs to know of a flow. */
export interface PlannableFlow {
  readonly id: string
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
}
