import { Choices } from '#components/choices.tsx'
import { series as text } from '#lib/messages-later.ts'
import styles from './series.module.css'
import type { DeletionScope } from './series-api.ts'

const SCOPES: readonly { value: DeletionScope; label: string }[] = [
  { value: 'esta', label: text.this },
  { value: 'siguientes', label: text.following },
  { value: 'pendientes', label: text.pending },
]

type SeriesScopeProps = { value: DeletionScope; onChange: (scope: DeletionScope) => void }

/** Which plans of the series are deleted. */
export default function SeriesScope({ value, onChange }: SeriesScopeProps) {
  return (
    <div className={styles.scope}>
      <Choices
        legend={text.whichDelete}
        name="alcance"
        options={SCOPES}
        value={value}
        onChange={onChange}
      />
    </div>
  )
}
