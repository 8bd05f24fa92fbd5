/** What planning needs to know of a flow, whatever form its id has. */
export interface PlannableFlow {
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
}
