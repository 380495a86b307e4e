import styles from './spinner.module.css'

export function Spinner() {
  return <span className={styles.spinner} data-spinner aria-hidden="true" />
}
